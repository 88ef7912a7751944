/* Runs a fuzz target over files and folders of files, so that a corpus is a test also where libFuzzer is not.
 *     replay PATH...
 * Each input is also cut short at every byte of its first 512. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int files;

/* A block of exactly n bytes, so that a sanitizer sees one too many. */
static void run(const uint8_t *bytes, size_t n) {
    uint8_t *exact = malloc(n > 0 ? n : 1);
    if (!exact) abort();
    memcpy(exact, bytes, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static int replay_file(const char *path, size_t n) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(n + 1);
    int right = file && bytes && fread(bytes, 1, n, file) == n;
    if (right) {
        fprintf(stderr, "%s\n", path); /* the last one printed is the one that broke */
        for (size_t cut = 0; cut < n && cut < 512; cut++) run(bytes, cut);
        run(bytes, n);
        files++;
    }
    free(bytes);
    if (file) fclose(file);
    return right;
}

static int replay(const char *path);

static int replay_folder(const char *path) {
    DIR *folder = opendir(path);
    int right = folder != NULL;
    for (struct dirent *entry; right && (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        right = replay(name);
    }
    if (folder) closedir(folder);
    return right;
}

static int replay(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return 0;
    return S_ISDIR(status.st_mode) ? replay_folder(path) : replay_file(path, (size_t)status.st_size);
}

int main(int n, char **paths) {
    for (int i = 1; i < n; i++) {
        if (replay(paths[i])) continue;
        fprintf(stderr, "replay: cannot read %s\n", paths[i]);
        return 1;
    }
    fprintf(stderr, "%d inputs\n", files);
    return files > 0 ? 0 : 1; /* an empty corpus proves nothing */
}
