package enginetest

// errands is the number of goroutines for Outside. They start with the process, because a goroutine that starts in a
// bubble belongs to it.
const errands = 16

// errand connects to a goroutine of Outside. Its channels belong to no bubble, so a goroutine that waits on them is not
// durably blocked, and the time of its bubble stands still meanwhile.
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

// Outside runs a function in a goroutine outside of any testing/synctest bubble, and returns when it has ended. The
// function must not end the test, nor use a channel or timer that was made in a bubble.
func Outside(call func()) {
	e := <-idle
	e.calls <- call
	<-e.ended
	idle <- e
}

// stopErrands ends the goroutines of Outside.
func stopErrands() {
	for range errands {
		e := <-idle
		close(e.calls)
		<-e.ended
	}
}
