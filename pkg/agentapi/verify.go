package agentapi

// MethodVerify proves that the agent's index of a project equals the store.
var MethodVerify = Method[VerifyParams, VerifyResult]{"verify"}

// VerifyParams names the project.
type VerifyParams struct {
	Project string `json:"project"`
	// Repair has an index that is not equal rebuilt when it is next needed.
	Repair bool `json:"repair,omitempty"`
}

// VerifyResult is how the index compares with the store.
type VerifyResult struct {
	Memories    int               `json:"memories"` // in the store, for this project
	Differences []IndexDifference `json:"differences"`
	Repaired    bool              `json:"repaired"`
}

// IndexDifference is one difference between the index and the store.
type IndexDifference struct {
	ID   string `json:"id"` // of the memory
	What string `json:"what"`
}
