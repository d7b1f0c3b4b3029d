export { WebhookSender } from './webhooks/webhook-sender.js';
export {
  COMMAND_LINE_WEBHOOK_UUID,
  commandLineWebhook,
  type Webhook,
  WebhookStore,
  webhookToJson,
} from './webhooks/webhook-store.js';
