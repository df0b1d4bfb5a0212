package cli

// controllingTerminal is the console of the process, wherever its streams go.
const controllingTerminal = "CONOUT$"
