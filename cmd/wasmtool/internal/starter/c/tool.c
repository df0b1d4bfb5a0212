// The tool gets the argument "text" on standard input, as tool.toml says, and writes the result to
// standard output.
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int words = 0, inside = 0;
    for (int c; (c = getchar()) != EOF;) {
        if (!isspace(c) && !inside) words++;
        inside = !isspace(c);
    }
    if (words == 0) { // the message is for the model
        fputs("the text has no words\n", stderr);
        return 1;
    }
    printf("%d", words);
    return 0;
}
