package memory

// Archive copies everything a store holds out, and back in.
type Archive interface{}
