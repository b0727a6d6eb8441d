import { createHmac } from "node:crypto"
import { isEqual } from "../../people/access/secrets.ts"
import type { GitHookKind } from "../../people/git-hooks/schema.ts"

/** Relevant parts of a delivery. Header names are in lower case. */
export interface GitDelivery {
  headers: Record<string, string | undefined>
  body: string
}

/** True if the host with this secret sent the delivery. GitHub signs the body; GitLab sends the secret itself. */
export function isGenuine(kind: GitHookKind, secret: string, { headers, body }: GitDelivery): boolean {
  if (kind === "gitlab") return isEqual(headers["x-gitlab-token"] ?? "", secret)
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
  return isEqual(headers["x-hub-signature-256"] ?? "", expected)
}
