-- Alerts that are not resolved: the last row of each alert is its state.
CREATE OR REPLACE VIEW open_alerts AS
SELECT cluster, alert_id, rule, severity, group_id, subject, value, threshold, summary, opened_time
FROM (
  SELECT *, row_number() OVER (PARTITION BY cluster, alert_id ORDER BY sequence DESC) AS place
  FROM alerts
)
WHERE place = 1 AND status <> 'resolved'
ORDER BY
  CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
  opened_time
