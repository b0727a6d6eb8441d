import type { Token } from "@switchyard/core/people/access/schema"
import { useBrowser, useStudio } from "../../../session/context/studio.ts"
import { useSignOut } from "../../../session/context/use-sign-out.ts"
import { Button } from "../../../ui/button.tsx"
import { ago, momentOf } from "../../../ui/time.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { NewTokenForm } from "./new-token-form.tsx"
import { useTokens } from "./use-tokens.ts"

export function TokensSection() {
  const { config } = useStudio()
  if (config.auth_mode === "open") return <OpenServer />
  return (
    <>
      <CurrentUser />
      <TokenList />
    </>
  )
}

function OpenServer() {
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-5">
      <p>No sign-in needed. The server only accepts connections from this machine.</p>
      <div>
        <h2 className="font-semibold">Give others access</h2>
        <p className="mt-1 text-ink-2">
          Start the server with <code className="font-mono text-sm">AUTH_MODE=token</code>. People then sign in with an
          access token, and scripts send one with each request. Each token has an owner, permissions and an optional
          expiry date. Deployed servers always require tokens.
        </p>
      </div>
    </div>
  )
}

/** The signed-in user, and a sign-out button for cookie-based logins. */
function CurrentUser() {
  const me = useBrowser((state) => state.me)
  const { busy, signOut } = useSignOut()
  if (!me) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line py-5">
      <p className="min-w-0 wrap-anywhere">
        Signed in as <strong>{me.owner}</strong> <span className="text-ink-3">({me.scopes.join(", ")})</span>
      </p>
      {signOut && (
        <Button onClick={signOut} disabled={busy}>
          Sign out
        </Button>
      )}
    </div>
  )
}

function TokenList() {
  const { list, create, revoke } = useTokens()
  const me = useBrowser((state) => state.me)
  const isAdmin = me?.scopes.includes("admin") ?? false
  return (
    <CrudSection
      title={isAdmin ? "All access tokens" : "Your access tokens"}
      hint={!isAdmin && "Only admins can create access tokens."}
      list={list}
      entries={list.data?.tokens}
      empty="No access tokens yet."
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      row={(token) => (
        <EntryText
          name={token.name}
          more={
            <>
              <span className="text-sm text-ink-3">{token.owner}</span>
              {token.id === me?.token_id && <span className="text-sm text-accent">this browser</span>}
            </>
          }
          facts={factsOf(token).join(" · ")}
        />
      )}
      add={isAdmin ? "Create token" : undefined}
      form={(_, close) => <NewTokenForm create={create} onClose={close} />}
      removal={{
        action: "Revoke",
        text: ({ id }) =>
          id === me?.token_id
            ? "You're using this token, so you'll be signed out. This can't be undone."
            : "The token will stop working immediately and sign out every browser using it. This can't be undone.",
        remove: ({ id }, options) => revoke.mutate(id, options),
        mutation: revoke,
      }}
    />
  )
}

function factsOf(token: Token): string[] {
  return [token.scopes.join(", "), usedOf(token), endOf(token), ...makerOf(token)]
}

/** Names the token's creator if that is someone else, because they may know the secret. */
function makerOf({ created_by, owner }: Token): string[] {
  return created_by === null || created_by === owner ? [] : [`created by ${created_by}`]
}

function usedOf({ last_used_at }: Token): string {
  return last_used_at ? `last used ${ago(last_used_at)}` : "never used"
}

function endOf({ expires_at }: Token): string {
  if (!expires_at) return "never expires"
  return `${Date.parse(expires_at) < Date.now() ? "expired" : "expires"} ${momentOf(expires_at)}`
}
