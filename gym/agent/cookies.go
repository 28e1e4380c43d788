package agent

import (
	"strings"

	"github.com/lensgo/lens/gym/wire"
)

// resourcesCookies picks from a caller's cookies those that a resources server may get. A session cookie is named
// <class>___<instance>; those of this agent and of its model server stay here, and every other one is taken for the
// resources server's, for a proxy in front of it may have set some too.
func (a *peers) resourcesCookies(c wire.Cookies) wire.Cookies {
	return a.cookiesOf(a.Resources.Name, c)
}

// modelCookies are those of the model server.
func (a *peers) modelCookies(c wire.Cookies) wire.Cookies { return a.cookiesOf(a.Model.Name, c) }

func (a *peers) cookiesOf(instance string, c wire.Cookies) wire.Cookies {
	var out wire.Cookies
	for _, text := range c {
		name, _, _ := strings.Cut(text, "=")
		if a.owner(name) == instance {
			out = append(out, text)
		}
	}
	return out
}

// owner returns the instance that a cookie of that name belongs to. Where one instance's name ends like another's the
// longer one is right.
func (a *peers) owner(cookie string) string {
	owner, longest := a.Resources.Name, 0
	for _, instance := range []string{a.Resources.Name, a.Model.Name, a.name} {
		if strings.HasSuffix(cookie, "___"+instance) && len(instance) > longest {
			owner, longest = instance, len(instance)
		}
	}
	return owner
}

// replaced returns the cookies to send next to a server that was sent old and has set fresh.
func replaced(old, fresh wire.Cookies) wire.Cookies {
	if len(fresh) == 0 {
		return old
	}
	return fresh
}
