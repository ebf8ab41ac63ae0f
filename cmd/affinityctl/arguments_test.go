package main

import (
	"strings"
	"testing"
)

func TestWordsThatMeanNothingAreRefused(t *testing.T) {
	for _, tt := range []struct{ reason, line, want string }{
		{"a verb that is written wrong", "chekc", `error: unknown command "chekc" for "affinityctl"; did you mean "check"?`},
		{"its flags are not what is wrong", "chekc -f web.yaml", `error: unknown command "chekc" for "affinityctl"; did you mean "check"?`},
		{"a verb that nothing is near to", "get nodes", `error: unknown command "get" for "affinityctl"; affinityctl --help lists them`},
		{"below a verb", "binary conver", `error: unknown command "conver" for "affinityctl binary"; did you mean "convert"?`},
		{"a shell", "completion foo", `error: unknown command "foo" for "affinityctl completion"`},
		{"help on a verb that is not there", "help chekc", `error: unknown command "chekc" for "affinityctl"; did you mean "check"?`},
		{"a flag of none", "--nope", "error: unknown flag: --nope"},
		{"a file for check", "check web.yaml", `error: unexpected argument "web.yaml": name files with -f`},
		{"a file for preview", "preview web.yaml", `error: unexpected argument "web.yaml": name files with -f`},
		{"a file for find", "binary find web.yaml", `error: unexpected argument "web.yaml": name files with -f`},
		{"a namespace", "audit shop", `error: unexpected argument "shop": for a namespace use -n shop`},
		{"no object for why", "why", "KIND/NAME, such as pod/web-0"},
		{"no object for lineage", "lineage", "name an object as KIND/NAME"},
		{"two objects", "why pod/a pod/b", "name one object, as KIND/NAME or KIND NAME"},
		{"an object and files", "why pod/a -f web.yaml", "by pod/a or by -f, not both"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			code, out, errs := invoke(t, "", strings.Fields(tt.line)...)
			if code != 2 || out != "" || !strings.Contains(errs, tt.want) {
				t.Errorf("%s: exit code %d, %q, stderr %q; want 2 and %q", tt.reason, code, out, errs, tt.want)
			}
		})
	}
}

func TestGroupsWithoutArgumentsShowHelp(t *testing.T) {
	for _, line := range []string{"", "help", "binary", "help binary", "completion"} {
		if code, out, errs := invoke(t, "", strings.Fields(line)...); code != 0 || !strings.Contains(out, "Available Commands:") || errs != "" {
			t.Errorf("%q: exit code %d, stderr %q:\n%s", line, code, errs, out)
		}
	}
}

func TestAnObjectMayBeTwoWords(t *testing.T) {
	kubeconfig := served(t, shop).Kubeconfig(t, "shop")
	for _, verb := range []string{"why", "lineage"} {
		_, want, _ := invoke(t, "", verb, "deployment/web", "--kubeconfig", kubeconfig)
		code, got, errs := invoke(t, "", verb, "deployment", "web", "--kubeconfig", kubeconfig)
		if code != 0 || got != want || got == "" || errs != "" {
			t.Errorf("%s: exit code %d, stderr %q:\n%s", verb, code, errs, got)
		}
	}
}
