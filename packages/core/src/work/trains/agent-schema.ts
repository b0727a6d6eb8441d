/** Agent of all merge trains in a session. An agent has only one run at a time, so trains don't overlap. */
export const TRAIN_AGENT = "merges"
