package shellcommand

import (
	"path"
	"slices"
	"strings"
)

// never are programs that must not run, even with an approval: they take over or stop the machine.
var never = []string{
	"sudo", "su", "doas", "pkexec", "runuser", "sudoedit", "visudo", "passwd", "chpasswd", "useradd", "userdel", "usermod",
	"shutdown", "reboot", "halt", "poweroff", "init", "telinit", "kexec",
	"mkfs", "mkswap", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "wipefs", "blkdiscard", "hdparm", "cryptsetup",
	"mount", "umount", "swapon", "swapoff", "losetup", "chroot", "pivot_root", "nsenter", "unshare",
	"insmod", "rmmod", "modprobe", "iptables", "ip6tables", "nft",
}

// forbidden says why a command must not run, or returns "".
func forbidden(words []word) string {
	name := base(words[0].text)
	switch {
	case !words[0].fixed:
		return ""
	case slices.Contains(never, name), strings.HasPrefix(name, "mkfs."):
		return "is never allowed"
	case name == "systemctl":
		if slices.ContainsFunc(words[1:], func(w word) bool {
			return slices.Contains([]string{"poweroff", "reboot", "halt", "kexec"}, strings.ToLower(w.text))
		}) {
			return "is never allowed"
		}
	case name == "dd":
		for _, w := range words[1:] {
			if target, ok := strings.CutPrefix(w.text, "of="); ok && isDisk(target) {
				return "writes to a device"
			}
		}
	case name == "rm" && removesAll(words[1:]):
		return "removes everything"
	}
	return ""
}

// removesAll reports whether rm would start at the root.
func removesAll(args []word) bool {
	recursive, root := false, false
	for _, w := range args {
		switch {
		case strings.HasPrefix(w.text, "--"):
			recursive = recursive || strings.HasPrefix("--recursive", w.text) && len(w.text) > 2
		case strings.HasPrefix(w.text, "-"):
			recursive = recursive || strings.ContainsAny(w.text, "rR")
		case strings.HasPrefix(w.text, "/"):
			root = root || path.Clean(w.text) == "/" || path.Clean(w.text) == "/*"
		}
	}
	return recursive && root
}
