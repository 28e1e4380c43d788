package resources

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lensgo/lens/gym/wire"
)

func add(t *testing.T, s *Sessions[int], id string, n int) {
	t.Helper()
	if err := s.Do(id, func(state *int) error { *state += n; return nil }); err != nil {
		t.Fatal(err)
	}
}

func value(s *Sessions[int], id string) (n int, there bool) {
	there = s.Peek(id, func(state *int) { n = *state })
	return n, there
}

func TestSessions(t *testing.T) {
	t.Run("each_id_has_a_state_of_its_own", func(t *testing.T) {
		var s Sessions[int]
		add(t, &s, "a", 1)
		add(t, &s, "b", 10)
		add(t, &s, "a", 2)
		if n, _ := value(&s, "a"); n != 3 {
			t.Errorf("a is %d, want 3", n)
		}
		if n, _ := value(&s, "b"); n != 10 {
			t.Errorf("b is %d, want 10", n)
		}
		if _, there := value(&s, "c"); there || s.Len() != 2 {
			t.Errorf("a look at an unknown session made one: %d sessions", s.Len())
		}
	})
	t.Run("the_error_of_the_function_comes_back", func(t *testing.T) {
		var s Sessions[int]
		want := errors.New("no")
		if err := s.Do("a", func(*int) error { return want }); err != want {
			t.Errorf("got %v", err)
		}
	})
	t.Run("delete", func(t *testing.T) {
		var s Sessions[int]
		add(t, &s, "a", 1)
		if !s.Delete("a") || s.Delete("a") || s.Len() != 0 {
			t.Error("Delete did not forget once")
		}
		s.Done("a")
	})
}

func TestSessionsFull(t *testing.T) {
	t.Run("verified_sessions_make_room_the_oldest_first", func(t *testing.T) {
		s := NewSessions[int](SessionOptions{Max: 3})
		for _, id := range []string{"a", "b", "c"} {
			add(t, s, id, 1)
		}
		s.Done("b")
		s.Done("a")
		s.Done("a")
		add(t, s, "d", 1)
		if _, there := value(s, "b"); there {
			t.Error("b was verified first and is still there")
		}
		if _, there := value(s, "a"); !there || s.Len() != 3 {
			t.Error("a had to stay")
		}
	})
	t.Run("a_verified_session_that_is_used_again_stays", func(t *testing.T) {
		s := NewSessions[int](SessionOptions{Max: 1})
		add(t, s, "a", 1)
		s.Done("a")
		add(t, s, "a", 1)
		if err := s.Do("b", func(*int) error { return nil }); !errors.Is(err, ErrSessionsFull) {
			t.Errorf("got %v, want ErrSessionsFull", err)
		}
	})
	t.Run("sessions_in_use_are_never_forgotten", func(t *testing.T) {
		s := NewSessions[int](SessionOptions{Max: 1})
		add(t, s, "a", 1)
		s.Done("a")
		s.Peek("a", func(*int) {
			if err := s.Do("b", func(*int) error { return nil }); !errors.Is(err, ErrSessionsFull) {
				t.Errorf("got %v, want ErrSessionsFull", err)
			}
		})
		add(t, s, "b", 1)
	})
}

func TestSessionsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[int](SessionOptions{Max: 2, Idle: time.Hour})
		add(t, s, "a", 1)
		time.Sleep(40 * time.Minute)
		add(t, s, "b", 1)
		time.Sleep(30 * time.Minute)
		add(t, s, "c", 1)
		if _, there := value(s, "a"); there {
			t.Error("a was idle for 70 minutes and is still there")
		}
		if _, there := value(s, "b"); !there {
			t.Error("b was idle for 30 minutes and is gone")
		}
		if err := s.Do("d", func(*int) error { return nil }); !errors.Is(err, ErrSessionsFull) {
			t.Errorf("got %v, want ErrSessionsFull", err)
		}
	})
}

// TestSessionsExpire has a session that was idle for too long gone, whether or not room is needed.
func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions[int](SessionOptions{Idle: time.Hour})
		dropped := 0
		s.OnDrop(func(*int) { dropped++ })
		add(t, s, "a", 1)
		add(t, s, "b", 1)
		s.Done("b")
		time.Sleep(40 * time.Minute)
		if _, there := value(s, "a"); !there {
			t.Error("a was idle for 40 minutes and is gone")
		}
		time.Sleep(40 * time.Minute)
		if _, there := value(s, "b"); there || dropped != 1 {
			t.Errorf("b was idle for 80 minutes and is there: %v; %d dropped", there, dropped)
		}
		_ = s.Do("a", func(*int) error {
			time.Sleep(2 * time.Hour)
			if _, there := value(s, "c"); there || s.Len() != 1 {
				t.Error("a session in use expired")
			}
			return nil
		})
		if n, there := value(s, "a"); !there || n != 1 {
			t.Error("a is gone right after a long use")
		}
		time.Sleep(time.Hour)
		s.Done("c")
		if s.Len() != 0 || dropped != 2 {
			t.Errorf("%d sessions are left, %d dropped", s.Len(), dropped)
		}
	})
}

// TestSessionsResume has a caller whose session is not there told so, instead of given a new one.
func TestSessionsResume(t *testing.T) {
	resume := func(s *Sessions[int], id string, fresh bool) error {
		return s.Resume(Call{Session: id, Wire: &wire.Request{Fresh: fresh}}, func(n *int) error { *n++; return nil })
	}
	var s Sessions[int]
	if err := resume(&s, "a", true); err != nil {
		t.Fatal(err)
	}
	if err := resume(&s, "a", false); err != nil {
		t.Fatal(err)
	}
	if n, _ := value(&s, "a"); n != 2 {
		t.Errorf("a is %d, want 2", n)
	}
	if err := resume(&s, "b", false); !errors.Is(err, ErrSessionLost) || s.Len() != 1 {
		t.Errorf("a session that is not there: %v, %d sessions", err, s.Len())
	}
}

// TestSessionsRace has many goroutines on few sessions that come and go; the race detector and the counts judge.
func TestSessionsRace(t *testing.T) {
	s := NewSessions[int](SessionOptions{Max: 64})
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			own := fmt.Sprint("own-", g)
			for i := range 200 {
				add(t, s, "shared", 1)
				add(t, s, own, 1)
				id := fmt.Sprint(g, "-", i)
				add(t, s, id, 1)
				s.Done(id)
			}
		})
	}
	group.Wait()
	if n, _ := value(s, "shared"); n != 1600 {
		t.Errorf("shared is %d, want 1600", n)
	}
	for g := range 8 {
		if n, _ := value(s, fmt.Sprint("own-", g)); n != 200 {
			t.Errorf("own-%d is %d, want 200", g, n)
		}
	}
	if s.Len() > 64 {
		t.Errorf("%d sessions are kept, bound is 64", s.Len())
	}
}

// Every state that goes is let go of once, and not while a call still holds it.
func TestSessionsDrop(t *testing.T) {
	s := NewSessions[string](SessionOptions{Max: 2})
	var dropped []string
	s.OnDrop(func(state *string) { dropped = append(dropped, *state) })
	set := func(id string) error {
		return s.Do(id, func(state *string) error { *state = id; return nil })
	}
	if err := errors.Join(set("a"), set("b")); err != nil {
		t.Fatal(err)
	}
	s.Done("b")
	if err := set("c"); err != nil || !slices.Equal(dropped, []string{"b"}) {
		t.Errorf("%v went for want of room, %v", dropped, err)
	}
	err := s.Do("a", func(state *string) error {
		if !s.Delete("a") || len(dropped) != 1 {
			t.Errorf("%v went while a call had it", dropped)
		}
		*state = "a, to its end"
		return nil
	})
	if err != nil || !slices.Equal(dropped, []string{"b", "a, to its end"}) {
		t.Errorf("%v went, %v", dropped, err)
	}
	if s.Delete("a") || !s.Delete("c") || !slices.Equal(dropped, []string{"b", "a, to its end", "c"}) {
		t.Errorf("%v went", dropped)
	}
}
