// picosat decides random formulas with three literals a clause, near the ratio that is hardest.
#include "driver.h"
#include "picosat.h"

enum { FORMULAS = 12, VARIABLES = 120, CLAUSES = 511 };

RUN {
    uint32_t state = 7, answers = 0;
    for (int f = 0; f < FORMULAS; f++) {
        PicoSAT *solver = picosat_init();
        for (int c = 0; c < 3 * CLAUSES; c++) {
            int literal = 1 + (int)(next(&state) >> 8) % VARIABLES;
            picosat_add(solver, next(&state) >> 31 ? literal : -literal);
            if (c % 3 == 2) picosat_add(solver, 0);
        }
        answers = answers * 31 + (uint32_t)picosat_sat(solver, -1);
        picosat_reset(solver);
    }
    result(answers, FORMULAS);
}
