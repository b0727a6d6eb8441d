import type { GitHost } from "@switchyard/core/people/git-hosts/schema"
import { dayOf } from "../../../ui/time.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { GitHostForm } from "./git-host-form.tsx"
import { kindNames } from "./kind-names.ts"
import { useGitHosts } from "./use-git-hosts.ts"

export function GitHostsSection() {
  const { list, put, remove } = useGitHosts()
  return (
    <CrudSection
      title="Tokens"
      isPage
      hint="Agents never see these tokens. The server uses them to fetch, push and open pull requests."
      list={list}
      entries={list.data?.git_hosts}
      empty="No tokens yet."
      keyOf={({ host }) => host}
      nameOf={({ host }) => `the token for ${host}`}
      row={(entry) => (
        <EntryText
          name={entry.host}
          more={<span className="text-sm text-ink-2">{kindNames[entry.kind]}</span>}
          facts={factsOf(entry)}
        />
      )}
      add="Add token"
      edit="Replace"
      form={(entry, close) => <GitHostForm entry={entry} put={put} onClose={close} />}
      removal={{
        action: "Delete",
        text: ({ host }) =>
          `Sessions in private repositories on ${host} will no longer be able to fetch or push. The token stays valid until you revoke it there.`,
        remove: ({ host }, options) => remove.mutate(host, options),
        mutation: remove,
      }}
    />
  )
}

function factsOf({ username, rotated_at, scheme }: GitHost): string {
  const user = username === null ? [] : [`as ${username}`]
  return [...user, ...(scheme === "http" ? ["over HTTP"] : []), `saved on ${dayOf(rotated_at)}`].join(" · ")
}
