// SPDX-License-Identifier: Apache-2.0

package remora

// The names follow those of the C API: OutcomeNotNewer is REMORA_OUTCOME_NOT_NEWER. A test compares both.

// StorageMemory is the StorageDir of a client that stores nothing.
const StorageMemory = ":memory:"

// Trust selects whether the signatures of a collection are verified.
type Trust int32

// TrustRequired, the default, requires signatures; TrustOff verifies nothing.
const (
	TrustRequired Trust = 0
	TrustOff      Trust = 1
)

// Method is the HTTP method that requests a bundle.
type Method int32

// The body of a POST is empty.
const (
	MethodGet  Method = 0
	MethodPost Method = 1
)

// FirstFetch selects whether opening a source starts a refresh in the background.
type FirstFetch int32

// FirstFetchDefault is FirstFetchAtOpen for settings, for bundles with a URL and for sources with a RefreshInterval;
// otherwise FirstFetchOnRequest.
const (
	FirstFetchDefault   FirstFetch = 0
	FirstFetchAtOpen    FirstFetch = 1
	FirstFetchOnRequest FirstFetch = 2
)

// Activation selects when reads return a new version.
type Activation int32

// ActivationDefault is ActivationNextSetup for settings without a tag, and otherwise ActivationImmediate.
const (
	ActivationDefault   Activation = 0
	ActivationImmediate Activation = 1
	ActivationNextSetup Activation = 2
	ActivationManual    Activation = 3
)

// LogLevel is the severity of a log line.
type LogLevel int32

// The levels of log lines, from the most severe to the least.
const (
	LogError   LogLevel = 1
	LogWarning LogLevel = 2
	LogInfo    LogLevel = 3
	LogDebug   LogLevel = 4
)

// Outcome is the result of a refresh.
type Outcome int32

// The outcomes of refreshes. OutcomeNone means that no request was needed. Later versions of the library can add
// outcomes.
const (
	OutcomeNone      Outcome = 0
	OutcomeUpdated   Outcome = 1
	OutcomeUnchanged Outcome = 2
	OutcomeNotNewer  Outcome = 3
	OutcomeStaged    Outcome = 4
	OutcomeRefused   Outcome = 5
	OutcomeFailed    Outcome = 6
)

// Cause is the reason for an event.
type Cause int32

// Later versions of the library can add causes.
const (
	CauseOpened    Cause = 1
	CauseRefreshed Cause = 2
	CauseAdopted   Cause = 3
	CauseReset     Cause = 4
	CauseContext   Cause = 5
	CauseOverride  Cause = 6
	CauseActivated Cause = 7
	CauseRejected  Cause = 8 // Source.Reject of any process has removed the live or the staged version.
	CauseFreshness Cause = 9 // The freshness has changed. Not reported to subscribers of a key.
)

// Freshness states whether the last successful refresh is recent enough; see Config.MaxStale.
type Freshness int32

const (
	FreshnessNone  Freshness = 0 // MaxStale is not set, or the source is a bundle without a URL.
	FreshnessNever Freshness = 1 // No refresh has succeeded.
	FreshnessFresh Freshness = 2 // The last successful refresh of any process is at most MaxStale ago.
	FreshnessStale Freshness = 3 // The last successful refresh is over MaxStale ago, or over a minute in the future.
)

// Origin states where values come from.
type Origin int32

// Later versions of the library can add origins.
const (
	OriginNone     Origin = 0
	OriginDefault  Origin = 1
	OriginPackaged Origin = 2
	OriginCached   Origin = 3
	OriginFetched  Origin = 4
	OriginOverride Origin = 5
)

// Kind is the kind of a source. 0 means that a report concerns no single source.
type Kind int32

// Later versions of the library can add kinds.
const (
	KindCollection Kind = 1
	KindBundle     Kind = 2
	KindSettings   Kind = 3
)

// ChangeKind states what happened to a key.
type ChangeKind int32

const (
	ChangeCreated ChangeKind = 1
	ChangeUpdated ChangeKind = 2
	ChangeDeleted ChangeKind = 3
)

// Type is the type of a value.
type Type int32

// The types of values. TypeNone is the type of the empty value, which is not part of any snapshot.
const (
	TypeNone   Type = 0
	TypeNull   Type = 1
	TypeBool   Type = 2
	TypeInt    Type = 3
	TypeDouble Type = 4
	TypeString Type = 5
	TypeArray  Type = 6
	TypeObject Type = 7
)

// Family is a group of statuses, by which programs decide what to do: errors.Is(err, remora.FamilyNetwork).
type Family int32

// The families of statuses. docs/errors.md describes each.
const (
	FamilyNone      Family = 0
	FamilyNetwork   Family = 1
	FamilyDocument  Family = 2
	FamilyTrust     Family = 3
	FamilyFreshness Family = 4
	FamilyStorage   Family = 5
	FamilySystem    Family = 6
	FamilyCall      Family = 7
)

// Status is the code of an error. Use it with errors.Is: errors.Is(err, remora.ErrNetwork).
type Status int32

// The statuses. docs/errors.md describes each. Later versions of the library can add statuses.
const (
	ErrInvalidArgument    Status = -700
	ErrNotFound           Status = -701
	ErrWrongType          Status = -702
	ErrTimeout            Status = -703
	ErrCancelled          Status = -704
	ErrClosed             Status = -705
	ErrBusy               Status = -706
	ErrNetwork            Status = -100
	ErrTLS                Status = -101
	ErrHTTP               Status = -102
	ErrRedirect           Status = -103
	ErrBackoff            Status = -104
	ErrParse              Status = -200
	ErrFormat             Status = -201
	ErrTooLarge           Status = -202
	ErrRejected           Status = -203
	ErrSchema             Status = -204
	ErrSignatureMissing   Status = -300
	ErrSignatureMalformed Status = -301
	ErrSignatureMismatch  Status = -302
	ErrChainMalformed     Status = -303
	ErrChainInvalid       Status = -304
	ErrChainLocation      Status = -305
	ErrCertificateExpired Status = -306
	ErrCertificateSubject Status = -307
	ErrRootMismatch       Status = -308
	ErrAttachmentMismatch Status = -309
	ErrFuture             Status = -400
	ErrEquivocation       Status = -401
	ErrStorage            Status = -500
	ErrPermission         Status = -501
	ErrCorrupt            Status = -502
	ErrUnavailable        Status = -600
	ErrInternal           Status = -601
)
