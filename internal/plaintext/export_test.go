package plaintext

// Classes exports the table of classes for tests.
var Classes = append(classes, notUTF8, flood)
