// Package grants remembers what the operator granted to single tools. A grant is for one
// tenant and for exactly the tool that there was when it was given, by its digest: a tool
// whose manifest or module changed by a byte has none.
//
// Nothing here is reached by a model, a manifest or a file of a workspace: what is
// remembered comes from the operator's own command alone. In doubt, such as when the file
// cannot be read, there is an error and no grant.
package grants
