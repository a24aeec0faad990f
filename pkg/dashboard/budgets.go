package dashboard

// Budgets are the tokens that active memories may have in a scope, by maintenance's
// settings.
type Budgets struct{ Project, User int }
