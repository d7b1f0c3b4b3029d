import { analytics } from '@fossick/analytics';
import { chats } from '@fossick/chats';
import { cluster } from '@fossick/cluster';
import type { Extension } from '@fossick/runtime/extension';
import { telemetry } from '@fossick/telemetry';
import { transfer } from '@fossick/transfer';
import { webhooks } from '@fossick/webhooks';

/** The extensions of this server. Nothing else names one: who deletes its folder takes it off this list. */
export const EXTENSIONS: readonly Extension[] = [analytics, chats, cluster, telemetry, transfer, webhooks];
