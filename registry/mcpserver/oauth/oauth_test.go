package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const testIssuer = "https://login.example.com"

// keyring is a fake issuer without a network.
type keyring struct {
	mu      sync.Mutex
	keys    jose.JSONWebKeySet
	fetched int
}

func (k *keyring) RoundTrip(req *http.Request) (*http.Response, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	answer := any(map[string]string{"issuer": testIssuer, "jwks_uri": testIssuer + "/keys"})
	if req.URL.Path == "/keys" {
		k.fetched++
		answer = k.keys
	}
	text, err := json.Marshal(answer)
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(text))), Request: req,
		Header: http.Header{"Content-Type": {"application/json"}},
	}, err
}

// add adds a key to the issuer and returns the signing key.
func (k *keyring) add(t *testing.T, id string) jose.SigningKey {
	t.Helper()
	signing := newKey(t, id)
	private := signing.Key.(jose.JSONWebKey)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys.Keys = append(k.keys.Keys, private.Public())
	return signing
}

func newKey(t *testing.T, id string) jose.SigningKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: private, KeyID: id, Algorithm: "ES256", Use: "sig"}}
}

// A forged token does not cause a fetch of the keys each time. Despite forged tokens, the server
// learns a new key of the issuer.
func TestForgedTokensDoNotLoadTheIssuer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keyring{}
		first := k.add(t, "1")
		const resource = "https://tools.example.com/mcp"
		authority, err := New(t.Context(), Options{Issuer: testIssuer, Resource: resource, Client: &http.Client{Transport: k}})
		if err != nil {
			t.Fatal(err)
		}
		good := func(key jose.SigningKey) bool {
			t.Helper()
			signer, err := jose.NewSigner(key, nil)
			if err != nil {
				t.Fatal(err)
			}
			claims, err := json.Marshal(map[string]any{"iss": testIssuer, "aud": resource, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()})
			if err != nil {
				t.Fatal(err)
			}
			signed, err := signer.Sign(claims)
			if err != nil {
				t.Fatal(err)
			}
			token, err := signed.CompactSerialize()
			if err != nil {
				t.Fatal(err)
			}
			_, err = authority.Verify(t.Context(), token)
			return err == nil
		}
		forge := func() {
			t.Helper()
			for _, id := range []string{"1", "2", ""} {
				if good(newKey(t, id)) {
					t.Fatalf("a forged token with the key %q is accepted", id)
				}
			}
		}
		if !good(first) {
			t.Fatal("a valid token is refused")
		}
		for range 10 {
			forge()
		}
		if k.fetched != fetchBurst {
			t.Errorf("the keys were fetched %d times, want %d", k.fetched, fetchBurst)
		}
		second := k.add(t, "2")
		if !good(first) {
			t.Error("a valid token is refused after forged ones")
		}
		time.Sleep(fetchInterval)
		forge() // the server fetches the keys for a forged token, and also finds the new key
		if !good(second) {
			t.Errorf("a new key is not known after %v", fetchInterval)
		}
		if k.fetched != fetchBurst+1 {
			t.Errorf("the keys were fetched %d times, want %d", k.fetched, fetchBurst+1)
		}
	})
}
