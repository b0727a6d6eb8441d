import type { Token } from "@switchyard/core/people/access/schema"
import { useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { Empty, Notice } from "../../../ui/notice.tsx"
import { ago, momentOf } from "../../../ui/time.ts"
import type { useTokens } from "./use-tokens.ts"

interface Props {
  tokens: Token[]
  revoke: ReturnType<typeof useTokens>["revoke"]
  /** The token that this browser is signed in with. */
  mine: string | null
}

export function TokenTable({ tokens, revoke, mine }: Props) {
  const [doomed, setDoomed] = useState<Token | null>(null)
  const close = () => {
    setDoomed(null)
    revoke.reset()
  }
  if (tokens.length === 0) return <Empty title="No tokens">Tokens you create appear here.</Empty>
  return (
    <>
      <ul>
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
            <div className="min-w-0 flex-1 basis-[240px]">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-semibold">{token.name}</span>
                <span className="text-sm text-ink-3">{token.owner}</span>
                {token.id === mine && <span className="text-sm text-accent">this browser</span>}
              </p>
              <p className="text-sm text-ink-3 nums">{factsOf(token).join(" · ")}</p>
            </div>
            <Button size="sm" aria-label={`Revoke ${token.name}`} onClick={() => setDoomed(token)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {doomed && <RevokeDialog token={doomed} revoke={revoke} mine={doomed.id === mine} onClose={close} />}
    </>
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

interface RevokeProps {
  token: Token
  revoke: Props["revoke"]
  mine: boolean
  onClose(): void
}

function RevokeDialog({ token, revoke, mine, onClose }: RevokeProps) {
  return (
    <Dialog
      title={`Revoke ${token.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="danger"
            disabled={revoke.isPending}
            onClick={() => revoke.mutate(token.id, { onSuccess: onClose })}
          >
            Revoke
          </Button>
        </>
      }
    >
      <p>It stops working immediately and signs out every browser using it. This can't be undone.</p>
      {mine && <p className="mt-2">You're signed in with this token, so this browser is signed out, too.</p>}
      {revoke.error && (
        <Notice tone="err" className="mt-3">
          {revoke.error.message}
        </Notice>
      )}
    </Dialog>
  )
}
