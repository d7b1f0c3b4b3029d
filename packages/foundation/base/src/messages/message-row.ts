/** Makes the text of an error from its parts: texts, numbers. */
export type Message = (...given: never[]) => string;

/** The texts of a code: one, or several by name. */
export type MessageRow = Message | Readonly<Record<string, Message>>;

/** Texts by code. Whether the codes exist is checked where the rows are joined. */
export type MessageRows = Readonly<Record<string, MessageRow>>;
