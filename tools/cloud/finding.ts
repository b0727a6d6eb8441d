/** Result of a check before a deployment. */
export interface Finding {
  /** `missing` prevents the deployment. `note` is information for the operator. `fine` needs no action. */
  kind: "missing" | "note" | "fine"
  says: string
  /** Shell commands that help. */
  commands?: string[]
}
