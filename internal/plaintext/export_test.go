package plaintext

// Classes are for the tests that look at each row.
var Classes = append(classes, notUTF8, flood)
