/* Position ids with three coordinates (time, height, width) for sequences of text, images and video: what M-RoPE of
 * the Qwen-VL models turns tokens by. Text has three equal ids that count on; an image or a video is a grid whose
 * tokens all count from where the text before it ended; what follows begins one past the largest id so far.
 * Pure functions: nothing is remembered from call to call, so a delta cannot go stale. */
#ifndef POSENC_POSITION_IDS_H
#define POSENC_POSITION_IDS_H

#include <posenc/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the frames of a video are placed in time. An image's frame i (there is one) stands at time i under every rule. */
typedef enum posenc_vision_rule {
    POSENC_VISION_QWEN2_VL = 0,   /* frame i at time i */
    POSENC_VISION_QWEN2_5_VL = 1, /* frame i at floor(i seconds tokens_per_second): real time */
    POSENC_VISION_QWEN3_VL = 2    /* every frame is a grid of its own at time 0, its timestamp is text before it */
} posenc_vision_rule;

typedef struct posenc_position_ids_options {
    size_t size;                   /* sizeof(posenc_position_ids_options), as written by posenc_position_ids_default */
    posenc_vision_rule rule;       /* default Qwen2-VL */
    int64_t spatial_merge_size;    /* patches a side that become one token, 1..2^20. Default 2 */
    double tokens_per_second;      /* Qwen2.5-VL: time ids in a second, finite, 0 or more. Default 2 */
    int64_t image_token_id;        /* default 151655. A negative id stands for no such token */
    int64_t video_token_id;        /* default 151656 */
    int64_t vision_start_token_id; /* what must stand before each grid. Default 151652 */
    int64_t padding_id;            /* all three ids of padding. Default 1 */
} posenc_position_ids_options;

/* Writes every default into *options. size is sizeof(*options) as the caller compiled it, and is stored there. */
POSENC_API void posenc_position_ids_default(posenc_position_ids_options *options, size_t size);

typedef enum posenc_segment_kind {
    POSENC_SEGMENT_TEXT = 0,
    POSENC_SEGMENT_IMAGE = 1,
    POSENC_SEGMENT_VIDEO = 2
} posenc_segment_kind;

/* A part of a sequence. */
typedef struct posenc_segment {
    posenc_segment_kind kind;
    int64_t tokens;          /* text: 0 or more. Image, video: not used, t h w / spatial_merge_size^2 */
    int64_t t, h, w;         /* image, video: frames, and patches before merging; h and w divide by the merge size */
    double seconds_per_grid; /* Qwen2.5-VL, video: seconds from frame to frame of the grid, finite, above 0 */
} posenc_segment;

/* Counts the tokens of a sequence of segments.
 * options: NULL for defaults. segments[n_segments]: in order; NULL where there are none. tokens: receives the number.
 * Returns POSENC_ERROR_ARGUMENT (an option; a segment, by its number: "segments[2].h"); *tokens is untouched then. */
POSENC_API posenc_status posenc_position_ids_count(const posenc_position_ids_options *options,
                                                   const posenc_segment *segments, size_t n_segments, int64_t *tokens,
                                                   posenc_error *error);

/* Writes the ids of one sequence that is given as segments. For a grid that begins at id s, the token of frame i, row
 * y and column x (merged ones) has the ids (s + time of frame i, s + y, s + x); rows are inside frames, columns inside
 * rows.
 * options, segments: as posenc_position_ids_count. A video of Qwen3-VL has t = 1: its frames are segments of their own,
 *                    with their timestamps as text between.
 * ids: (tokens, 3) int64, tokens as posenc_position_ids_count gives; any strides that keep elements apart, so a row of
 *      (3, batch, tokens) is strides.
 * delta: receives next id minus tokens: token number n that is generated after the sequence has three ids of n + delta,
 *        n counting on from tokens. NULL: not wanted.
 * Returns POSENC_ERROR_ARGUMENT, _SHAPE (another number of tokens), _DTYPE, _DEVICE, _OVERLAP, _POSITION (an id beyond
 * 2^63 - 1); ids and *delta are untouched then. No segments succeed, with a delta of 0.
 * Times of Qwen2.5-VL are products in float32, (i seconds) tokens_per_second, as published: next to a whole number the
 * floor depends on it.
 * Source: Wang et al. 2024, Qwen2-VL, section 2.1; Bai et al. 2025, Qwen2.5-VL, section 2.1.3; get_rope_index of
 * transformers up to 4.57, which was published with these models. From 5 on that function begins what follows a video
 * at max(h, w) / spatial_merge_size, whatever its times are, and leaves padding out of deltas: images agree, videos do
 * not. Which of the two a model was trained by is not said; the papers' rule is the older one.
 * Example: posenc_segment s[] = {{.tokens = 3}, {POSENC_SEGMENT_IMAGE, .t = 1, .h = 4, .w = 4}, {.tokens = 2}};
 *          int64_t memory[9 * 3], delta;
 *          posenc_view view;
 *          DLTensor *ids = posenc_view_make(&view, memory, POSENC_I64, 2, (int64_t[]){9, 3}, NULL);
 *          posenc_position_ids_of_segments(NULL, s, 3, ids, &delta, &error);
 *          // T 0 1 2 3 3 3 3 5 6, H 0 1 2 3 3 4 4 5 6, W 0 1 2 3 4 3 4 5 6, delta -2 */
POSENC_API posenc_status posenc_position_ids_of_segments(const posenc_position_ids_options *options,
                                                         const posenc_segment *segments, size_t n_segments,
                                                         DLTensor *ids, int64_t *delta, posenc_error *error);

/* A batch as a model's processor gives it, under the names that the published get_rope_index uses. */
typedef struct posenc_vision_tokens {
    size_t size;                    /* sizeof(posenc_vision_tokens), as written by posenc_vision_tokens_default */
    const DLTensor *input_ids;      /* (tokens) or (batch, tokens), int32 or int64; required */
    const DLTensor *attention_mask; /* of that shape; bool, u8, i32 or i64: not 0 means real. NULL: all are */
    const DLTensor *image_grid_thw; /* (images, 3) int32 or int64: t, h, w of each image, in the order of the batch's
                                       tokens. NULL: none */
    const DLTensor *video_grid_thw; /* (videos, 3), the same; of Qwen3-VL too: t frames follow one by one */
    const DLTensor *second_per_grid_ts; /* (videos) f32 or f64, Qwen2.5-VL only. NULL: 1 */
} posenc_vision_tokens;

/* Writes every default into *tokens: nothing is given. */
POSENC_API void posenc_vision_tokens_default(posenc_vision_tokens *tokens, size_t size);

/* Writes the ids of a batch that is given as token ids: where an image or video token stands, the next grid begins, and
 * as many such tokens must follow as it has. Ids count real tokens only, on whichever side the padding stands.
 * ids: (tokens, 3) or (batch, tokens, 3) int64, beside input_ids of rank 1 or 2; strides as above.
 * deltas: (1) or (batch) int64, next id minus tokens, padding counted: token number n of a row has the ids n + delta.
 *         NULL: not wanted. A row without a real token has the next id 0.
 * Neither may share memory with an input or with the other.
 * Returns POSENC_ERROR_ARGUMENT (an option; a grid; tokens and grids that do not agree, by the name of the one that
 * falls short; a grid without vision_start before it), _SHAPE, _DTYPE, _DEVICE, _OVERLAP, _POSITION; outputs are
 * untouched then.
 * All else as posenc_position_ids_of_segments. */
POSENC_API posenc_status posenc_position_ids_of_tokens(const posenc_position_ids_options *options,
                                                       const posenc_vision_tokens *tokens, DLTensor *ids,
                                                       DLTensor *deltas, posenc_error *error);

#ifdef __cplusplus
}
#endif

#endif
