package deep
// TODO: more
