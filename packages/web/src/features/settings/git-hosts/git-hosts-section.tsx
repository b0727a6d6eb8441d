import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { GitHostForm } from "./git-host-form.tsx"
import { GitHostTable } from "./git-host-table.tsx"
import { useGitHosts } from "./use-git-hosts.ts"

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
