import type { Provider } from "@switchyard/core/people/accounts/schema"
import { blankCredential, credentialRequest } from "./credential-fields.tsx"

export const blankAccount = { name: "", credential: blankCredential, model: "", reasoning: "", base_url: "" }
export type AccountForm = typeof blankAccount

/** Returns the request for a new account. Leaves out fields that are empty or don't apply to this agent. */
export function accountRequest(form: AccountForm, provider: Provider | undefined) {
  const filled = (text: string, wanted = true) => (wanted && text.trim() !== "" ? text.trim() : undefined)
  return {
    name: form.name.trim(),
    ...credentialRequest(form.credential, provider),
    model: filled(form.model),
    reasoning: filled(form.reasoning, provider?.supports_reasoning),
    base_url: filled(form.base_url, provider?.needs_key),
  }
}
