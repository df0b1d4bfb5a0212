#include "textflag.h"

// func memorySize() uint32
TEXT ·memorySize(SB), NOSPLIT, $0-4
	Get SP
	CurrentMemory
	I32Store ret+0(FP)
	RET

// func memoryGrow(pages uint32) uint32
TEXT ·memoryGrow(SB), NOSPLIT, $0-12
	Get SP
	I32Load pages+0(FP)
	GrowMemory
	I32Store ret+8(FP)
	RET

// func trap()
TEXT ·trap(SB), NOSPLIT, $0-0
	Unreachable
	RET
