import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { useQuery } from "@tanstack/react-query"
import { ApiError } from "../../../api/client.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, SelectField, TextArea, useFields } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { UnprovenNotice } from "../evidence/unproven-notice.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions, useWorktreeQueries } from "../worktree/use-worktree.ts"
import { blankForm, branchOptions, mergeRequest, strategies } from "./merge-form.ts"

/** Merges the changes into a branch, all or nothing. */
export function MergeDialog({ status, onClose }: { status: WorktreeStatus; onClose(): void }) {
  const toast = useToast()
  const { merge } = useWorktreeActions()
  const { form: filled, field: of } = useFields(() => blankForm(status.target_branch))
  const { target } = filled
  const branches = useBranches(target)

  function submit(): void {
    merge.mutate(mergeRequest(filled), {
      onSuccess: (result) => {
        toast(result.message, result.success ? "ok" : "info")
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title="Merge changes"
      action={merge.isPending ? "Merging" : target ? `Merge into ${target}` : "Merge"}
      blocked={merge.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {merge.error && <Refusal error={merge.error} />}
      {merge.error instanceof ApiError && merge.error.details.markers === true && (
        <Checkbox
          label="Merge with the conflict markers"
          hint="If they are meant to be there, as in a test file."
          {...of("allowMarkers")}
        />
      )}
      <UnprovenNotice />
      <SelectField label="Target branch" options={branches.options} {...of("target")} />
      <ErrorNotice error={branches.error} />
      <ChoiceField label="Merge method" of={strategies} {...of("strategy")} />
      <TextArea
        label="Commit message"
        hint="Used as written. Leave empty to generate one."
        {...of("message")}
        rows={4}
        spellCheck
        data-autofocus
        className="font-mono text-sm"
      />
      <Checkbox
        label="Run the repository's hooks"
        hint="As in a manual commit, signed if your settings require it. A failing hook stops the merge."
        {...of("runHooks")}
      />
      <Checkbox
        label="Delete the worktree afterwards"
        hint={
          filled.deleteWorktree
            ? "The branch is deleted, too, once the merge is complete."
            : "Keep it to continue from the merged state."
        }
        {...of("deleteWorktree")}
      />
    </FormDialog>
  )
}

export function useBranches(chosen: string) {
  const { data, error } = useQuery(useWorktreeQueries().branches)
  return { options: branchOptions(data?.branches ?? [], chosen), error }
}
