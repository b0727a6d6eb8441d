/** The agent that runs of merge trains belong to, so that a session has one at a time. */
export const TRAIN_AGENT = "merges"
