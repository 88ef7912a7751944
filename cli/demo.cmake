# The demo's paragraph, examples/paragraph.txt, becomes an array of bytes, so that the program carries it wherever it is
# installed. Included after the program's target.
set(PARAGRAPH ${PROJECT_SOURCE_DIR}/examples/paragraph.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PARAGRAPH})
file(READ ${PARAGRAPH} PARAGRAPH_HEX HEX)
string(REGEX REPLACE "(................................)" "\\1\n" PARAGRAPH_BYTES "${PARAGRAPH_HEX}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " PARAGRAPH_BYTES "${PARAGRAPH_BYTES}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/demo_paragraph.c @ONLY CONTENT
"/* examples/paragraph.txt as bytes; made by cli/demo.cmake. */
#include \"demo.h\"

const unsigned char posenc_demo_paragraph[] = {
@PARAGRAPH_BYTES@};
const size_t posenc_demo_paragraph_bytes = sizeof posenc_demo_paragraph;
")
target_sources(posenc PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/demo_paragraph.c)
target_include_directories(posenc PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
