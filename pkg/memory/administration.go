package memory

// Administrator is what people steer a store by: lists of sessions and projects,
// merging and renaming of projects, and purging.
type Administrator interface{}
