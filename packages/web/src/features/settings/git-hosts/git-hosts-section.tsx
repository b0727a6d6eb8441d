import type { GitHost } from "@switchyard/core/people/git-hosts/schema"
import { UnloadedList } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"
import { EntryList, EntryText, NoEntries } from "../list/entry-list.tsx"
import { GitHostForm } from "./git-host-form.tsx"
import { kindNames } from "./kind-names.ts"
import { type GitHostActions, useGitHosts } from "./use-git-hosts.ts"

/** The user's tokens for git hosts: the saved ones, and a form that adds or replaces one. */
export function GitHostsSection() {
  const { list, put, remove } = useGitHosts()
  return (
    <div className="flex flex-col gap-8 border-t border-line pt-5">
      {list.data ? (
        <section aria-labelledby="git-hosts-list">
          <h2 id="git-hosts-list" className="unseen">
            Saved tokens
          </h2>
          <GitHostTable hosts={list.data.git_hosts} remove={remove} />
        </section>
      ) : (
        <UnloadedList list={list} lines={3} />
      )}
      <GitHostForm put={put} />
    </div>
  )
}

function GitHostTable({ hosts, remove }: { hosts: GitHost[]; remove: GitHostActions["remove"] }) {
  if (hosts.length === 0) {
    return (
      <NoEntries title="No tokens yet">
        With one, agents work in private repositories of a host, and their work becomes a pull request. Agents never see
        it.
      </NoEntries>
    )
  }
  return (
    <EntryList
      entries={hosts}
      keyOf={({ host }) => host}
      row={(one) => (
        <EntryText
          name={one.host}
          more={<span className="text-sm text-ink-2">{kindNames[one.kind]}</span>}
          facts={factsOf(one)}
        />
      )}
      removal={{
        action: "Delete",
        nameOf: ({ host }) => `the token for ${host}`,
        question: ({ host }) => ({
          title: `Delete the token for ${host}?`,
          text: `Sessions in private repositories of this host can no longer fetch or push. The token itself stays valid: revoke it on ${host}, too.`,
        }),
        done: ({ host }) => `Deleted the token for ${host}.`,
        remove: ({ host }, options) => remove.mutate(host, options),
        mutation: remove,
      }}
    />
  )
}

function factsOf({ username, rotated_at, scheme }: GitHost): string {
  const user = username === null ? [] : [`as ${username}`]
  return [...user, ...(scheme === "http" ? ["over http"] : []), `token of ${dayOf(rotated_at)}`].join(" · ")
}
