/* A folder of its own for each test. */
#define _XOPEN_SOURCE 700
#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

folder folder_make(void) {
    folder f;
    const char *base = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%s/posenc-test-XXXXXX", base && strlen(base) < 200 ? base : "/tmp");
    check(mkdtemp(f.path) != NULL, "no folder %s", f.path);
    return f;
}

/* The next name of an open folder, without "." and "..". */
static const char *next_name(DIR *open) {
    for (struct dirent *entry; (entry = readdir(open)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return entry->d_name;
    return NULL;
}

void folder_end(folder *f) {
    DIR *open = opendir(f->path);
    check(open != NULL, "no folder %s", f->path);
    for (const char *name; (name = next_name(open)) != NULL;) remove(folder_path(f, name));
    closedir(open);
    check(rmdir(f->path) == 0, "%s is not empty", f->path);
}

const char *folder_path(const folder *f, const char *name) {
    static char paths[8][512];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", f->path, name);
    return path;
}

int folder_count(const folder *f) {
    DIR *open = opendir(f->path);
    int n = 0;
    check(open != NULL, "no folder %s", f->path);
    while (next_name(open)) n++;
    closedir(open);
    return n;
}

void folder_write(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    check(file != NULL, "cannot make %s", path);
    check(fwrite(bytes, 1, n, file) == n && fclose(file) == 0, "cannot write %s", path);
}

bool folder_holds(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char *got = malloc(n + 1);
    bool same = got && fread(got, 1, n + 1, file) == n && (n == 0 || memcmp(got, bytes, n) == 0);
    free(got);
    fclose(file);
    return same;
}
