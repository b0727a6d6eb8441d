import type { GitHook } from "@switchyard/core/people/git-hooks/schema"
import { kindNames } from "../git-hosts/kind-names.ts"
import { CrudSection } from "../list/crud-section.tsx"
import { EntryText } from "../list/entry-text.tsx"
import { GitHookForm } from "./git-hook-form.tsx"
import { useGitHooks } from "./use-git-hooks.ts"

export function GitHooksSection() {
  const { list, create, remove } = useGitHooks()
  return (
    <CrudSection
      title="Git hooks"
      isPage
      hint="Start a run from GitHub or GitLab when someone labels an issue or posts a comment starting with @switchyard, or when a check fails."
      list={list}
      entries={list.data?.git_hooks}
      empty="No git hooks yet."
      keyOf={({ id }) => id}
      nameOf={({ repository }) => `the git hook for ${repository}`}
      row={({ repository, kind, coding_agent, rules, problem }) => (
        <EntryText name={repository} facts={[kindNames[kind], coding_agent, ...rules.map(ruleName)].join(" · ")}>
          {problem !== null && <p className="text-sm text-err">Not working: {problem}</p>}
        </EntryText>
      )}
      add="Add git hook"
      form={(_, close) => <GitHookForm create={create} onClose={close} />}
      removal={{
        action: "Delete",
        text: ({ repository, kind }) =>
          `Events in ${repository} will no longer start runs. Also delete the webhook on ${kindNames[kind]}.`,
        remove: ({ id }, options) => remove.mutate(id, options),
        mutation: remove,
      }}
    />
  )
}

function ruleName(rule: GitHook["rules"][number]): string {
  if (rule.on === "issue_labelled") return `label “${rule.label}”`
  return rule.on === "comment" ? "comments" : "failed checks"
}
