import type { Token } from "@switchyard/core/people/access/schema"
import { useBrowser, useStudio } from "../../../session/context/studio.ts"
import { useSignOut } from "../../../session/context/use-sign-out.ts"
import { Button } from "../../../ui/button.tsx"
import { Empty, Notice, UnloadedList } from "../../../ui/notice.tsx"
import { ago, momentOf } from "../../../ui/time.ts"
import { EntryList, EntryText } from "../list/entry-list.tsx"
import { NewTokenForm } from "./new-token-form.tsx"
import { useTokens } from "./use-tokens.ts"

export function TokensSection() {
  const { config } = useStudio()
  return config.auth_mode === "open" ? <OpenServer /> : <TokenServer />
}

function OpenServer() {
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-5">
      <p>
        No tokens needed. This server only accepts connections from its own machine and treats everyone on it as the
        same person.
      </p>
      <div>
        <h2 className="font-semibold">Giving others access</h2>
        <p className="mt-1 text-ink-2">
          Started with <code className="font-mono text-sm">AUTH_MODE=token</code>, the server requires a token: people
          sign in with one here, and the command line and pipelines send theirs along. Each has an owner, permissions
          and an optional expiry. Deployed servers always require one.
        </p>
      </div>
    </div>
  )
}

function TokenServer() {
  const { list, create, revoke } = useTokens()
  const me = useBrowser((state) => state.me)
  const admin = me?.scopes.includes("admin") ?? false
  return (
    <div className="flex flex-col gap-8 border-t border-line pt-5">
      <CurrentUser />
      {admin ? (
        <NewTokenForm create={create} />
      ) : (
        <Notice>
          Creating tokens requires a token with the <strong>admin</strong> scope. Ask whoever runs this server.
        </Notice>
      )}
      <section aria-labelledby="tokens-list">
        <h2 id="tokens-list" className="mb-2 text-lg">
          {admin ? "All tokens" : "Your tokens"}
        </h2>
        {list.data ? (
          <TokenTable tokens={list.data.tokens} revoke={revoke} mine={me?.token_id ?? null} />
        ) : (
          <UnloadedList list={list} />
        )}
      </section>
    </div>
  )
}

/** The signed-in user, and a sign-out button for cookie-based logins. */
function CurrentUser() {
  const me = useBrowser((state) => state.me)
  const { busy, signOut } = useSignOut()
  if (!me) return null
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>
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

interface Props {
  tokens: Token[]
  revoke: ReturnType<typeof useTokens>["revoke"]
  /** The token that this browser is signed in with. */
  mine: string | null
}

function TokenTable({ tokens, revoke, mine }: Props) {
  if (tokens.length === 0) return <Empty title="No tokens">Tokens you create appear here.</Empty>
  return (
    <EntryList
      entries={tokens}
      keyOf={({ id }) => id}
      row={(token) => (
        <EntryText
          name={token.name}
          more={
            <>
              <span className="text-sm text-ink-3">{token.owner}</span>
              {token.id === mine && <span className="text-sm text-accent">this browser</span>}
            </>
          }
          facts={factsOf(token).join(" · ")}
        />
      )}
      removal={{
        action: "Revoke",
        nameOf: ({ name }) => name,
        question: ({ id, name }) => ({
          title: `Revoke ${name}?`,
          text: (
            <>
              <p>It stops working immediately and signs out every browser using it. This can't be undone.</p>
              {id === mine && (
                <p className="mt-2">You're signed in with this token, so this browser is signed out, too.</p>
              )}
            </>
          ),
        }),
        done: ({ name }) => `Revoked ${name}.`,
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
  return last_used_at ? `used ${ago(last_used_at)}` : "never used"
}

function endOf({ expires_at }: Token): string {
  if (!expires_at) return "never expires"
  return `${Date.parse(expires_at) < Date.now() ? "expired" : "expires"} ${momentOf(expires_at)}`
}
