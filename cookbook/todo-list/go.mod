module todo-list

go 1.24
