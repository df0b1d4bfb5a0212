package tool

// AskReason is the reason why a call needs an approval. If there are several reasons, the first in
// the order of the constants counts. The zero value means that the call needs none.
type AskReason string

// The reasons, the most explicit first.
const (
	// AskOutside means that the call names a path of the host outside all workspaces. An approval
	// is only for this call and is never remembered.
	AskOutside AskReason = "outside"
	// AskRepeated means that the call has been repeated too often.
	AskRepeated AskReason = "repeated"
	// AskRule means that the operator requires the approval: by a rule of the policy, by the
	// patterns for commands of scripts, or by the policy of the tenant. It is also the reason for
	// everything that no other reason describes.
	AskRule AskReason = "rule"
	// AskDangerous means that the tool is dangerous: Spec.Dangerous.
	AskDangerous AskReason = "dangerous"
	// AskScript means that the call's script may do more than read.
	AskScript AskReason = "script"
	// AskEffects means that the call may do more than read, and that the operator did not allow it.
	AskEffects AskReason = "effects"
)

// Values of Receipt.ApprovedBy.
const (
	// ApprovedByApprover means that an approver was asked during the call.
	ApprovedByApprover = "approver"
	// ApprovedByRemembered means that an earlier approval covers the call.
	ApprovedByRemembered = "remembered"
	// ApprovedByAgent means that Call.AutoConfirm approved the call, without a question.
	ApprovedByAgent = "agent"
)
