// SPDX-License-Identifier: Apache-2.0

package remora

// #include "callbacks.h"
import "C"

import "time"

// Options has the options that sources of every kind have. An empty field has its default.
type Options struct {
	FirstFetch       FirstFetch
	PersistOverrides bool          // Stores overrides, and restores them at the next start of the program.
	RefreshInterval  time.Duration // Refreshes the source in the background, at least 1 s apart. Default: never.

	// Fetched versions with fewer keys than MinKeys are refused with ErrSchema, unless the refresh has Force. Default:
	// no limit.
	MinKeys int
	// MinKeysPercent is like MinKeys, as a percentage (1 to 100) of the keys in the newest version. With 100, the
	// number of keys of a fetched version may not shrink. Default: no limit.
	MinKeysPercent int
	// Schema is the text of a JSON Schema that fetched data must satisfy: each record of a collection, each element of
	// a bundle, or the dictionary of settings. Other data is refused with ErrSchema. Default: none.
	Schema string
}

// raw returns the options for the library, which are valid until texts is freed.
func (o Options) raw(texts *texts) C.remora_source_options {
	var raw C.remora_source_options
	initialise(&raw)
	raw.first_fetch = C.remora_first_fetch(o.FirstFetch)
	raw.persist_overrides = boolean(o.PersistOverrides)
	raw.refresh_interval_ms = milliseconds(o.RefreshInterval)
	raw.min_keys = number(o.MinKeys)
	raw.min_keys_percent = number(o.MinKeysPercent)
	raw.schema = texts.add("Schema", o.Schema)
	return raw
}

// Collection has the options of a collection of a Remote Settings server. An empty field has its default.
type Collection struct {
	Options
	Name                string // Required.
	Bucket              string // Default: Config.Bucket.
	Server              string // Default: Config.Server.
	RootSHA256          string // The SHA-256 of the root certificate, in hexadecimal.
	Signer              string // The host name in the certificate of the signer.
	Trust               Trust
	Activation          Activation
	PreviousRoots       []string      // Earlier values of RootSHA256.
	TrustedHosts        []string      // Hosts that may serve certificate chains, besides the server.
	MaxFuture           time.Duration // How far the timestamp of fetched data may be in the future. Default 24 h.
	PackagedFile        string        // A file that is used until newer data was fetched.
	PackagedData        []byte        // Packaged data, instead of PackagedFile.
	PackagedAttachments string        // The folder of packaged attachments.
}

// rawOptions returns the options for the library, which are valid until texts is freed.
func (c Collection) rawOptions(texts *texts) C.remora_collection_options {
	var raw C.remora_collection_options
	initialise(&raw)
	raw.name = texts.add("Name", c.Name)
	raw.bucket = texts.add("Bucket", c.Bucket)
	raw.server = texts.add("Server", c.Server)
	raw.root_sha256 = texts.add("RootSHA256", c.RootSHA256)
	raw.signer = texts.add("Signer", c.Signer)
	raw.trust = C.remora_trust(c.Trust)
	raw.activation = C.remora_activation(c.Activation)
	raw.previous_roots = texts.list("PreviousRoots", c.PreviousRoots)
	raw.trusted_hosts = texts.list("TrustedHosts", c.TrustedHosts)
	raw.max_future_ms = milliseconds(c.MaxFuture)
	raw.packaged_file = texts.add("PackagedFile", c.PackagedFile)
	raw.packaged_data, raw.packaged_size = texts.bytes(c.PackagedData)
	raw.packaged_attachments = texts.add("PackagedAttachments", c.PackagedAttachments)
	return raw
}

// OpenCollection opens a collection of a Remote Settings server. Reads then return the newest local data: cached,
// packaged or saved by an installer. By default, OpenCollection sends no request: call Refresh, or set FirstFetch or
// RefreshInterval.
//
// The caller closes the source. The error is ErrInvalidArgument, or ErrStorage, ErrParse, ErrFormat or ErrTooLarge if
// the packaged data cannot be used. It blocks for file system calls.
func (c *Client) OpenCollection(collection Collection) (*Source, error) {
	texts := texts{}
	defer texts.free()
	raw, options := collection.rawOptions(&texts), collection.Options.raw(&texts)
	return c.open(&texts, func(client *C.remora_client, source **C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_open_collection(client, &raw, &options, source, details)
	})
}

// Bundle has the options of a bundle, a versioned document of namespaces. An empty field has its default.
type Bundle struct {
	Options
	URL            string // Empty: the bundle has only its default and overrides.
	Name           string // Distinguishes bundles of the same URL.
	AcceptedSchema string // The schema of fetched documents, such as "example.com/schemas/limits/1".
	Method         Method
	Activation     Activation
	// DefaultBundle is the JSON text of a whole bundle, whose schema and version are optional, or only of its array
	// of namespaces. It is live until a bundle has been fetched. Fetched properties take precedence over its properties.
	DefaultBundle  string
	DefaultVersion int64 // At least 1. Default: the version in DefaultBundle; without it, every fetched bundle is newer.
}

// rawOptions returns the options for the library, which are valid until texts is freed.
func (b Bundle) rawOptions(texts *texts) C.remora_bundle_options {
	var raw C.remora_bundle_options
	initialise(&raw)
	raw.url = texts.add("URL", b.URL)
	raw.name = texts.add("Name", b.Name)
	raw.accepted_schema = texts.add("AcceptedSchema", b.AcceptedSchema)
	raw.method = C.remora_method(b.Method)
	raw.activation = C.remora_activation(b.Activation)
	raw.default_bundle = texts.add("DefaultBundle", b.DefaultBundle)
	raw.default_version = C.int64_t(b.DefaultVersion)
	return raw
}

// OpenBundle opens a bundle. The keys of its reads are the names of namespaces. A refresh starts in the background,
// unless URL is empty or FirstFetch is FirstFetchOnRequest.
//
// The caller closes the source. The error is ErrInvalidArgument, or ErrStorage, ErrParse, ErrFormat or ErrTooLarge if
// the default bundle cannot be used. It blocks for file system calls.
func (c *Client) OpenBundle(bundle Bundle) (*Source, error) {
	texts := texts{}
	defer texts.free()
	raw, options := bundle.rawOptions(&texts), bundle.Options.raw(&texts)
	return c.open(&texts, func(client *C.remora_client, source **C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_open_bundle(client, &raw, &options, source, details)
	})
}

// Settings has the options of a settings dictionary. An empty field has its default.
type Settings struct {
	Options
	URL           string
	RequestParams map[string]string // Query items of the request.
	RootKey       string            // The member of the document that contains the settings.
	Tag           string            // The name of an additional dictionary of the same URL; see OpenTag.
	TagItem       string            // The query item that contains the tag.
	Activation    Activation
	MemoryOnly    bool          // Stores nothing.
	TTL           time.Duration // How long data is fresh; negative: never. Default: the server decides.
	PackagedFile  string        // A file that is used until newer data was fetched.
	PackagedData  []byte        // Packaged data, instead of PackagedFile.
	RequiredKeys  []string      // Fetched data that lacks a key is refused with ErrSchema, unless the refresh has Force.
}

// params returns names and values in turn.
func (s Settings) params() []string {
	var params []string
	for _, name := range sortedNames(s.RequestParams) {
		params = append(params, name, s.RequestParams[name])
	}
	return params
}

// rawOptions returns the options for the library, which are valid until texts is freed.
func (s Settings) rawOptions(texts *texts) C.remora_settings_options {
	var raw C.remora_settings_options
	initialise(&raw)
	raw.url = texts.add("URL", s.URL)
	raw.request_params = texts.list("RequestParams", s.params())
	raw.root_key = texts.add("RootKey", s.RootKey)
	raw.tag = texts.add("Tag", s.Tag)
	raw.tag_item = texts.add("TagItem", s.TagItem)
	raw.activation = C.remora_activation(s.Activation)
	raw.memory_only = boolean(s.MemoryOnly)
	raw.ttl_ms = milliseconds(s.TTL)
	raw.required_keys = texts.list("RequiredKeys", s.RequiredKeys)
	raw.packaged_file = texts.add("PackagedFile", s.PackagedFile)
	raw.packaged_data, raw.packaged_size = texts.bytes(s.PackagedData)
	return raw
}

// OpenSettings opens a settings dictionary. A refresh starts in the background, unless FirstFetch is
// FirstFetchOnRequest. By default, reads return fetched data only from the next start of the program on, or at once if
// no other data exists.
//
// The caller closes the source. The error is ErrInvalidArgument, or ErrStorage, ErrParse, ErrFormat or ErrTooLarge if
// the packaged data cannot be used. It blocks for file system calls.
func (c *Client) OpenSettings(settings Settings) (*Source, error) {
	texts := texts{}
	defer texts.free()
	raw, options := settings.rawOptions(&texts), settings.Options.raw(&texts)
	return c.open(&texts, func(client *C.remora_client, source **C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_open_settings(client, &raw, &options, source, details)
	})
}

func (c *Client) open(
	texts *texts, open func(*C.remora_client, **C.remora_source, *C.remora_error) C.remora_status,
) (*Source, error) {
	if texts.err != nil {
		return nil, texts.err
	}
	var source *C.remora_source
	err := c.call(func(client *C.remora_client, details *C.remora_error) C.remora_status {
		return open(client, &source, details)
	})
	return c.opened(source, err)
}

// OpenTag opens the dictionary of a tag: an additional dictionary of the same URL. Reads return its fetched data at
// once. The tag has the options with which these settings were opened, except Activation, PackagedFile, PackagedData,
// FirstFetch and RefreshInterval. ttl sets how long data of the tag is fresh, as in Settings; 0 means the TTL of these
// settings.
//
// The caller closes the tag. But its data stays in memory until these settings are closed, so only the first call for a
// tag reads files. The error is ErrInvalidArgument (also if the source is not settings, or is a tag) or ErrClosed.
// OpenTag sends no request, and blocks for file system calls.
func (s *Source) OpenTag(tag string, ttl time.Duration) (*Source, error) {
	texts := texts{}
	defer texts.free()
	name := texts.copy("tag", tag)
	if texts.err != nil {
		return nil, texts.err
	}
	var source *C.remora_source
	err := s.call(func(settings *C.remora_source, details *C.remora_error) C.remora_status {
		return C.remora_open_tag(settings, name, milliseconds(ttl), &source, details)
	})
	return s.client.opened(source, err)
}

func (c *Client) opened(source *C.remora_source, err error) (*Source, error) {
	if err != nil {
		return nil, err
	}
	it := &Source{client: c}
	it.raw.set(source)
	return it, nil
}
