import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { GitHookForm } from "./git-hook-form.tsx"
import { GitHookReveal } from "./git-hook-reveal.tsx"
import { GitHookTable } from "./git-hook-table.tsx"
import { useGitHooks } from "./use-git-hooks.ts"

/** The user's git hooks: those that stand, and a form that adds one. */
export function GitHooksSection() {
  const { list, create, remove } = useGitHooks()
  return (
    <div className="flex flex-col gap-8 border-t border-line pt-5">
      {list.data ? (
        <section aria-labelledby="git-hooks-list">
          <h2 id="git-hooks-list" className="unseen">
            Your git hooks
          </h2>
          <GitHookTable hooks={list.data.git_hooks} remove={remove} />
        </section>
      ) : (
        <UnloadedList list={list} lines={3} />
      )}
      {create.data ? <GitHookReveal hook={create.data} onDone={create.reset} /> : <GitHookForm create={create} />}
    </div>
  )
}
