//go:build !unix

package measure

import "errors"

func (*usage) addOfSystem() error {
	return errors.New("this system does not count what a process uses")
}
