/** A thread that reads one dictionary, sends its tables and ends. */
import { ownThread } from '@fossick/threads/own';
import { type DictionaryName, readDictionary } from '@fossick/tokenizer';

const { start, send } = ownThread<DictionaryName, never, object>();
const { tables, buffers } = readDictionary(start);
send(tables, [...buffers]);
