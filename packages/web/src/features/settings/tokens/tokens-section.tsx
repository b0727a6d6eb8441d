import { useBrowser, useStudio } from "../../../session/context/studio.ts"
import { Notice } from "../../../ui/notice.tsx"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { CurrentUser } from "./current-user.tsx"
import { NewTokenForm } from "./new-token-form.tsx"
import { TokenTable } from "./token-table.tsx"
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
