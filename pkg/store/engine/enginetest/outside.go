package enginetest

// errands are as many goroutines as may be outside at once. They begin with the process, because one that begins in a
// bubble belongs to it.
const errands = 16

// errand carries a call to its goroutine, and back. Its channels are in no bubble either: who waits on them is not durably
// blocked, so that the time of a bubble stands still meanwhile.
type errand struct {
	calls chan func()
	ended chan struct{}
}

var idle = make(chan errand, errands)

func init() {
	for range errands {
		e := errand{make(chan func()), make(chan struct{})}
		idle <- e
		go func() {
			for call := range e.calls {
				call()
				e.ended <- struct{}{}
			}
			close(e.ended)
		}()
	}
}

// Outside has a function called by a goroutine that is in no bubble of testing/synctest, and returns when it has
// ended. The function must not end the test, nor use a channel or a timer that was made in a bubble.
func Outside(call func()) {
	e := <-idle
	e.calls <- call
	<-e.ended
	idle <- e
}

// stopErrands ends the goroutines, which nobody needs any more.
func stopErrands() {
	for range errands {
		e := <-idle
		close(e.calls)
		<-e.ended
	}
}
