import type { Token } from "@switchyard/core/people/access/schema"
import { Empty } from "../../../ui/notice.tsx"
import { ago, momentOf } from "../../../ui/time.ts"
import { EntryList, EntryText } from "../list/entry-list.tsx"
import type { useTokens } from "./use-tokens.ts"

interface Props {
  tokens: Token[]
  revoke: ReturnType<typeof useTokens>["revoke"]
  /** The token that this browser is signed in with. */
  mine: string | null
}

export function TokenTable({ tokens, revoke, mine }: Props) {
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

/** Names somebody else who made the token, and so may have it, too. */
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
