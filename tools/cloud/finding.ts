/** One thing that was looked at before a deployment. */
export interface Finding {
  /** `missing`: it can't be deployed. `note`: it can, and somebody should know. `fine`: nothing to do. */
  kind: "missing" | "note" | "fine"
  says: string
  /** What helps, as typed into a shell. */
  commands?: string[]
}
