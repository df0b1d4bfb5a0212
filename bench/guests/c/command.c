// The job as a program, with its input on standard input and its answer on standard output. It is
// built as a WASI command and as a native program.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count.h"

int main(void) {
    size_t room = 4096, length = 0;
    char *input = malloc(room);
    for (ssize_t n; input != NULL && (n = read(STDIN_FILENO, input + length, room - length)) > 0;) {
        length += (size_t)n;
        if (length == room) input = realloc(input, room *= 2);
    }
    if (input == NULL) return 1;
    char answer[ANSWER_SIZE];
    bool ok = count(input, length, answer);
    ssize_t size = (ssize_t)strlen(answer);
    if (write(ok ? STDOUT_FILENO : STDERR_FILENO, answer, (size_t)size) != size) return 1;
    return ok ? 0 : 1;
}
